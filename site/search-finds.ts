/** Ends the build with an error if the search of the built site does not find what people look for. */
import { globSync } from 'node:fs'
import MiniSearch from 'minisearch'
import { weightOf } from './.vitepress/search-weight.ts'

/** What is typed, and the page and heading that has to be the first result. */
const SOUGHT = {
  'express oauth server consent page': '/how-to/express#add-an-oauth-server-to-an-express-application',
  'rotate client secret': '/how-to/static-clients#rotate-a-client-secret',
  'refresh token reuse': '/concepts/refresh-tokens#refresh-token-rotation-and-retries',
  'mcp server authorization': '/how-to/mcp#protect-an-mcp-server',
  'protect api scopes': '/how-to/protect-an-api#protect-an-api-with-scopes',
  'device login cli': '/how-to/device-authorization#',
  dpop: '/how-to/dpop#dpop-sender-constrained-tokens',
  'keycloak alternative forward auth': '/how-to/forward-auth#forward-auth',
  'invalid_grant after refresh': '/troubleshooting#invalid_grant-after-refresh',
  'run behind nginx': '/troubleshooting#how-do-i-run-it-behind-nginx',
  CommonJS: '/reference/runtimes#commonjs-and-es-modules',
  'step-up': '/how-to/step-up#step-up-authentication',
  systemd: '/operations',
  'Next.js': '/how-to/nextjs',
  redirect_uri_not_registered: '/errors#redirect_uri_not_registered',
  'add a language': '/how-to/pages#add-a-language',
  backup: '/operations/backup#backup-and-restore',
  'claude code': '/how-to/mcp#protect-an-mcp-server',
  entra: '/server/providers/microsoft#',
  revoke: '/concepts/tokens-and-grants#revoke-access',
  invalid_grant: '/troubleshooting#invalid_grant',
  KEYS_FILE: '/configuration#keysfile-keys_file',
  TRUST_PROXY: '/how-to/rate-limits#behind-a-proxy-trust_proxy',
}

const [file = ''] = globSync('.vitepress/dist/assets/chunks/@localSearchIndexroot.*.js', {
  cwd: import.meta.dirname,
})
const { default: json } = await import(`./${file}`)
// As VitePress searches.
const index = MiniSearch.loadJSON(json, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
    boostDocument: weightOf,
  },
})

for (const [typed, page] of Object.entries(SOUGHT)) {
  const found = index.search(typed).slice(0, 5)
  if (found[0]?.id.startsWith(page)) continue
  console.error(
    `The search for "${typed}" finds not first ${page}, but ${found.map(({ id }) => id).join(', ')}`,
  )
  process.exitCode = 1
}
