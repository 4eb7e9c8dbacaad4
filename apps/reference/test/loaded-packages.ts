import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Imported before a program (`--import`): writes the packages that it has loaded, to the file that LOADED_PACKAGES names. */

const loaded = new Set<string>()

registerHooks({
  load(url, context, next) {
    const [, name] = /.*(?:node_modules|\/packages)\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name !== undefined) loaded.add(name)
    return next(url, context)
  },
})

process.on('exit', () => writeFileSync(process.env.LOADED_PACKAGES ?? '', JSON.stringify([...loaded])))
