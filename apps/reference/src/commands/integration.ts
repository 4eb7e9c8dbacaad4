import { parseArgs, styleText } from 'node:util'
import type { Integration, IntegrationInformation } from '@grantkit/core'
import { openStore } from '../open-store.ts'
import { createService } from '../service.ts'
import { parseSettings } from '../settings.ts'

/** Adds an integration: a client with fixed https redirect URIs, which cannot register itself. */

const USAGE = `pnpm integration add --name <name> [--redirect-uri <https URI>]... [--scope <scopes>]
                     [--public] [--remember-consent] [--resource-server]

  --redirect-uri      where its users are sent back to; may be repeated
  --scope             the scopes it may ask for; all of them if left out
  --public            it cannot keep a secret
  --remember-consent  do not ask a user again for what they allowed it before
  --resource-server   it may introspect every token; needs no redirect URI`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string' },
    'redirect-uri': { type: 'string', multiple: true, default: [] },
    scope: { type: 'string' },
    public: { type: 'boolean', default: false },
    'remember-consent': { type: 'boolean', default: false },
    'resource-server': { type: 'boolean', default: false },
  },
})

try {
  if (positionals[0] !== 'add' || values.name === undefined) console.log(USAGE)
  else await add(values.name)
} catch (error) {
  console.error(styleText('red', `Not added. ${error instanceof Error ? error.message : error}`))
  process.exitCode = 1
}

async function add(name: string): Promise<void> {
  const settings = parseSettings(process.env)
  const { store, close } = await openStore(settings, console.error)
  try {
    const observers = { onEvent: () => {}, onError: console.error }
    const { clients } = await createService(settings, observers, store)
    print(await clients.add(metadataOf(name)))
  } finally {
    await close()
  }
}

function metadataOf(name: string): Integration {
  return {
    client_name: name,
    redirect_uris: values['redirect-uri'],
    token_endpoint_auth_method: values.public ? 'none' : 'client_secret_post',
    remember_consent: values['remember-consent'],
    resource_server: values['resource-server'],
    ...(values.scope === undefined ? {} : { scope: values.scope }),
  }
}

function print({ client_id, client_secret }: IntegrationInformation): void {
  console.log(`client_id      ${client_id}`)
  if (client_secret !== undefined) {
    console.log(`client_secret  ${client_secret}`)
    console.log(styleText('dim', 'The secret is shown this once; only its hash is kept.'))
  }
}
