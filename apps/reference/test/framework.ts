const { FRAMEWORK } = process.env

/** Every test runs the service on the framework that its environment names; without a name on the default one. */
export const framework = FRAMEWORK === undefined ? {} : { FRAMEWORK }
