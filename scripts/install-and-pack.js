import { install, pnpm } from './install.js'

/** `pnpm tarballs`: installs what builds the packages that it packs, and packs them. */

/** What README.md installs. */
const START = ['core', 'store-memory', 'pages', 'adapter-fastify'].map((name) => `@grantkit/${name}`)

const ours = (words) => words.filter((word) => word.startsWith('@grantkit/'))
const given = process.argv.slice(2)
const all = given.includes('--all') || given.includes('--verify')
const words = all || ours(given).length > 0 ? given : [...START, 'fastify', ...given]

process.exitCode =
  (all ? pnpm(['install']) : installFor(ours(words))) ||
  pnpm(['exec', 'node', 'scripts/packages/tarballs.ts', ...words])

function installFor(names) {
  // The root has the compiler.
  const selected = ['grantkit-workspace', ...names.map((name) => `${name}...`)]
  return install(selected.flatMap((one) => ['--filter-prod', one]))
}
