const { FRAMEWORK } = process.env

/** Tests run the service on the framework in the environment; without one, on the default. */
export const framework = FRAMEWORK === undefined ? {} : { FRAMEWORK }
