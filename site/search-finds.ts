/** Ends the build with an error if the search of the built site does not find what people look for. */
import { globSync } from 'node:fs'
import MiniSearch from 'minisearch'

/** What is typed, and the beginning of a page that has to be among the first five. */
const SOUGHT = {
  CommonJS: '/how-to/module-systems',
  'step-up': '/how-to/mcp#step-up',
  systemd: '/operations',
  Jest: '/how-to/module-systems',
  'Next.js': '/how-to/nextjs',
  TRUST_PROXY: '/reference-service',
}

const [file = ''] = globSync('.vitepress/dist/assets/chunks/@localSearchIndexroot.*.js', {
  cwd: import.meta.dirname,
})
const { default: json } = await import(`./${file}`)
// As VitePress searches.
const index = MiniSearch.loadJSON(json, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
})

for (const [typed, page] of Object.entries(SOUGHT)) {
  const found = index.search(typed).slice(0, 5)
  if (found.some(({ id }) => id.startsWith(page))) continue
  console.error(`The search for "${typed}" finds no ${page}, but ${found.map(({ id }) => id).join(', ')}`)
  process.exitCode = 1
}
