/** Imports the files that it is started with, and says how many, and what they have done meanwhile. */

const files = process.argv.slice(2)
const effects = await effectsFrom()
for (const file of files) await import(file)
console.log(JSON.stringify({ loaded: files.length, effects }))
process.exit(0)

/** Only Node lets it change what other modules import. */
async function effectsFrom(): Promise<readonly string[]> {
  const isNode = process.versions.bun === undefined && process.versions.deno === undefined
  return isNode ? (await import('./effects.ts')).effects : []
}
