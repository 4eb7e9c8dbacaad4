import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { parse } from 'yaml'
import * as z from 'zod'
import { parseConfig } from '../../src/config/config.ts'
import { ranCommand } from '../ran-command.ts'
import { interpolate } from './compose-service.ts'

/** A new folder in which `grantkit init` ran. */
export interface InitProject {
  readonly folder: string
  /** Of the server and of the service that creates its keys, with the variables of `.env`. */
  readonly environment: Readonly<Record<string, string>>
  /** The service that creates the signing keys. */
  readonly keys: { readonly entrypoint: readonly string[]; readonly command: readonly string[] }
}

/** Another key is an error: no test would run it. */
const Server = z.strictObject({
  build: z.string(),
  image: z.literal('grantkit-server'),
  restart: z.string(),
  stop_grace_period: z.string(),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()),
  volumes: z.tuple([
    z.literal('./grantkit.config.ts:/config/grantkit.config.ts:ro'),
    z.literal('data:/data'),
  ]),
  depends_on: z.record(z.string(), z.unknown()),
})
const Keys = Server.omit({ restart: true, stop_grace_period: true, ports: true })
  .partial({ depends_on: true })
  .extend({ entrypoint: z.array(z.string()), command: z.array(z.string()) })
const Compose = z.object({ services: z.object({ grantkit: Server, keys: Keys }) })

export async function initProject(...options: readonly string[]): Promise<InitProject> {
  const folder = await temporaryFolder()
  // It reads no configuration.
  await ranCommand({ config: parseConfig({}) }, ['init', folder, '--yes', ...options])
  const variables = parseEnv(await readFile(join(folder, '.env'), 'utf8'))
  const filledIn = (text: string) => interpolate(text, variables as Record<string, string>)
  const { grantkit, keys } = Compose.parse(
    parse(await readFile(join(folder, 'compose.yaml'), 'utf8')),
  ).services
  const environment = Object.entries(grantkit.environment).map(([name, value]) => [name, filledIn(value)])
  return { folder, environment: Object.fromEntries(environment), keys }
}
