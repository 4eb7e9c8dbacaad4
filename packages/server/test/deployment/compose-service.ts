import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import * as z from 'zod'

/** What `compose.yaml` says of the server. */

/** Another key is an error: `image.night.test.ts` would leave it untried. */
const Service = z.strictObject({
  build: z.literal('.'),
  image: z.string(),
  restart: z.string(),
  stop_grace_period: z.string().regex(/^\d+s$/),
  environment: z.record(z.string(), z.string()),
  volumes: z.tuple([z.literal('./config:/config:ro'), z.literal('./private:/private:ro')]),
  depends_on: z.record(z.string(), z.unknown()),
  read_only: z.literal(true),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
})

export interface ComposeService {
  readonly environment: Readonly<Record<string, string>>
  /** Its restrictions, as options of `podman run`. */
  readonly restrictions: readonly string[]
  /** Seconds from SIGTERM to SIGKILL. */
  readonly stopGracePeriod: number
}

/** @param variables those of `.env` @throws Error that names a variable without which compose starts nothing */
export async function readComposeService(
  variables: Readonly<Record<string, string>>,
): Promise<ComposeService> {
  const text = await readFile(new URL('../../../../compose.yaml', import.meta.url), 'utf8')
  const service = Service.parse(parse(text).services['server-1'])
  const environment = Object.entries(service.environment)
  return {
    environment: Object.fromEntries(
      environment.map(([name, value]) => [name, interpolate(value, variables)]),
    ),
    restrictions: [
      // Podman would add a writable /tmp, which Docker does not.
      ...['--read-only', '--read-only-tmpfs=false'],
      ...service.cap_drop.flatMap((capability) => ['--cap-drop', capability]),
      ...service.security_opt.flatMap((option) => ['--security-opt', option]),
    ],
    stopGracePeriod: Number.parseInt(service.stop_grace_period, 10),
  }
}

/** `${NAME:?message}` and `${NAME:-default}` of the compose specification. @throws Error that names a missing variable */
export function interpolate(value: string, variables: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, sign: string, rest: string) => {
    const given = variables[name] || (sign === '-' ? rest : undefined)
    if (given === undefined) throw new Error(`${name} is missing: ${rest}`)
    return given
  })
}
