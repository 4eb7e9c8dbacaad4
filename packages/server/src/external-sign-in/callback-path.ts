/** Where the application sends the browser back to, below the base URL. */
export const CALLBACK_PATH = '/login/external/callback'
