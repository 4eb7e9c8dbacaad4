/** Prints, as JSON, the packages whose files are loaded when an entry is imported, in a process that imports nothing else. */
import { registerHooks } from 'node:module'

const loaded = new Set<string>()

registerHooks({
  load(url, context, next) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
    if (name !== undefined) loaded.add(name)
    return next(url, context)
  },
})

await import(process.argv[2] ?? '')
console.log(JSON.stringify([...loaded]))
