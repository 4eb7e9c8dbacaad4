#!/usr/bin/env node
import { type CommandLine, readCommandLine, USAGE } from './command-line.ts'
import { escaped } from './report/escaped.ts'
import { runCheck, runTorture } from './run/run-command.ts'

process.exitCode = await run(readCommandLine(process.argv.slice(2)))

async function run(commandLine: CommandLine): Promise<number> {
  try {
    if (commandLine.kind === 'run') return await runTorture(commandLine.issuer, commandLine.typed)
    if (commandLine.kind === 'check') return await runCheck(commandLine.file, commandLine.typed)
  } catch (error) {
    // A host that is refused, a server that does not answer, a way to grants that does not work.
    console.error(escaped(error instanceof Error ? error.message : String(error)))
    return 2
  }
  if (commandLine.kind === 'help') console.log(USAGE)
  else console.error(`${escaped(commandLine.reason)}\n\n${USAGE}`)
  return commandLine.kind === 'help' ? 0 : 2
}
