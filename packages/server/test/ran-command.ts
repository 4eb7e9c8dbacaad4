import { addClient } from '../src/commands/add-client.ts'
import { clients } from '../src/commands/clients.ts'
import { grants } from '../src/commands/grants.ts'
import { runProgram } from '../src/commands/run-program.ts'
import type { Config } from '../src/config/config.ts'

/** The output of a command, what it says of errors, and the status of its program. */
export interface RanCommand {
  readonly output: string
  readonly errors: string
  readonly status: unknown
}

/** Runs a command in this process, next to the running server. */
export async function ranCommand(
  { config }: { readonly config: Config },
  words: readonly string[],
): Promise<RanCommand> {
  const load = async () => ({ config, definition: {} })
  const commands = { clients: clients(load, { add: addClient(load) }), grants: grants(load) }
  const said: Record<'log' | 'error', string[]> = { log: [], error: [] }
  const { log, error } = console
  console.log = (line: string) => void said.log.push(line)
  console.error = (line: string) => void said.error.push(line)
  try {
    await runProgram('grantkit', { subCommands: commands }, words)
    return { output: said.log.join('\n'), errors: said.error.join('\n'), status: process.exitCode ?? 0 }
  } finally {
    Object.assign(console, { log, error })
    process.exitCode = undefined
  }
}
