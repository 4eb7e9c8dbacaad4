import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The program of an npm package, which is in a package per platform; only the one for this platform is installed.
 *
 * @param from the URL of a module whose package depends on it
 */
export function programOf(name: string, path: string, from: string): string {
  const require = createRequire(from)
  const manifest = require.resolve(`${name}/package.json`)
  const { optionalDependencies } = require(manifest) as { optionalDependencies: Record<string, string> }
  const { resolve } = createRequire(manifest)
  for (const platform of Object.keys(optionalDependencies)) {
    try {
      return join(dirname(resolve(`${platform}/package.json`)), path)
    } catch {}
  }
  throw new Error(`${name} has no program for this platform`)
}
