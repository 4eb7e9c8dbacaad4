/**
 * Loads packages that are not installed with the server, because few servers need them.
 *
 * @throws Error with the command that installs them
 */
export async function loadOptional<T>(names: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new Error(`it needs packages that are not installed: npm install ${names}`, { cause })
  }
}
