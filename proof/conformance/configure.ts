import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readCommandLine, refuse } from '@grantkit/reference/command-line'
import { addClients } from './clients.ts'
import { GATEWAY, INSTALLATIONS, type InstallationName, SUITE, settingsOf } from './installations.ts'
import { configurationOf, PLANS } from './plans.ts'

const USAGE = `pnpm --dir proof conformance:configure <openid|fapi2> --into <folder>

Adds the clients of the suite to a new installation, and writes into the folder

  service.env   the settings, for node --env-file
  <plan>.json   the configuration of each plan, with the secrets and keys of its clients
  plans.txt     the arguments of the suite's runner

  --into <folder>  a new folder
  --ca <file>      the certificate authority of the suite, as PEM: the service sends logout tokens there`

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { into: { type: 'string' }, ca: { type: 'string' } },
})
const [name = ''] = positionals
if (!Object.hasOwn(INSTALLATIONS, name)) refuse(USAGE, 'The first argument is openid or fapi2.')
if (values.into === undefined) refuse(USAGE, '--into is required.')

const folder = resolve(process.env.INIT_CWD ?? '', values.into)
mkdirSync(folder, { mode: 0o700 })
await configure(name as InstallationName)

async function configure(installation: InstallationName): Promise<void> {
  const { issuer, clients } = INSTALLATIONS[installation]
  const addresses = { issuer, suite: SUITE, gateway: GATEWAY, alias: `grantkit-${installation}` }
  const settings = settingsOf(installation, addresses, folder)
  if (values.ca !== undefined) settings.CIMD_TEST_CA = resolve(process.env.INIT_CWD ?? '', values.ca)
  write(
    'service.env',
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  )
  const added = await addClients(clients, addresses, settings, folder)
  const plans = PLANS.filter((plan) => plan.installation === installation)
  for (const plan of plans)
    write(`${plan.id}.json`, JSON.stringify(configurationOf(plan, added, addresses), null, 2))
  write('plans.txt', plans.map(({ id, plan }) => `${plan} ${join(folder, id)}.json\n`).join(''))
}

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text, { mode: 0o600 })
}
