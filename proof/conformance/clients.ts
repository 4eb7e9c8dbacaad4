import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Addresses, ClientToAdd } from './installations.ts'

/** A client in the words of the suite's configuration. */
export interface SuiteClient {
  readonly client_id: string
  readonly client_secret?: string
  /** Its private keys: only the suite's configuration has them. */
  readonly jwks?: { readonly keys: readonly JWK[] }
}

const CLI = join(import.meta.dirname, '../../apps/reference/src/cli.ts')
const run = promisify(execFile)

/**
 * Makes the tables, and adds the clients by the command of the operator, one after the other: they share a database in a file.
 *
 * @param folder where the public keys are written for the command
 */
export async function addClients(
  clients: Readonly<Record<string, ClientToAdd>>,
  addresses: Addresses,
  settings: Readonly<Record<string, string>>,
  folder: string,
): Promise<Record<string, SuiteClient>> {
  await command(['migrate'], settings)
  const added: Record<string, SuiteClient> = {}
  for (const [name, { args, alg }] of Object.entries(clients)) {
    const keys = alg === undefined ? undefined : await keysIn(join(folder, `${name}.jwks.json`), alg)
    const words = [...args(addresses), ...(keys === undefined ? [] : ['--jwks', keys.file])]
    const { client_id, client_secret } = await add(name, words, settings)
    added[name] = {
      client_id,
      ...(client_secret === undefined ? {} : { client_secret }),
      ...(keys === undefined ? {} : { jwks: { keys: [keys.jwk] } }),
    }
  }
  return added
}

async function add(name: string, words: readonly string[], settings: Readonly<Record<string, string>>) {
  const json = await command(['clients', 'add', '--name', `Suite, ${name}`, ...words, '--json'], settings)
  return JSON.parse(json) as { client_id: string; client_secret?: string }
}

async function command(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { PATH: process.env.PATH, ...settings }
  return (await run(process.execPath, [CLI, ...words], { env })).stdout
}

/** A new pair of keys, of which the public one is written to a file. */
async function keysIn(file: string, alg: string): Promise<{ file: string; jwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const names = { kid: crypto.randomUUID(), use: 'sig', alg }
  const open = { ...(await exportJWK(publicKey)), ...names }
  await writeFile(file, JSON.stringify({ keys: [open] }))
  return { file, jwk: { ...(await exportJWK(privateKey)), ...names } }
}
