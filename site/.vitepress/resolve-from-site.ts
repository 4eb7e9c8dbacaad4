import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const SITE = fileURLToPath(new URL('..', import.meta.url))

/** Resolves imports from here: the pages are outside this package and would not find Vue. */
export function resolveFromSite(): Plugin {
  return {
    name: 'resolve-from-site',
    enforce: 'pre',
    resolveId(source, importer, options) {
      const foreign = importer !== undefined && !importer.startsWith(SITE)
      if (!foreign || !/^vue(\/|$)/.test(source)) return null
      return this.resolve(source, `${SITE}package.json`, { ...options, skipSelf: true })
    },
  }
}
