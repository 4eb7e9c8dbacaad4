#!/usr/bin/env node
import { terminalText } from '@grantkit/core/feature'
import { type CommandLine, readCommandLine, USAGE } from './command-line.ts'
import { runExamination } from './run-examination.ts'

process.exitCode = await run(readCommandLine(process.argv.slice(2)))

async function run(commandLine: CommandLine): Promise<number> {
  if (commandLine.kind === 'examination') return runExamination(commandLine)
  if (commandLine.kind === 'help') console.log(USAGE)
  else console.error(`${terminalText(commandLine.reason)}\n\n${USAGE}`)
  return commandLine.kind === 'help' ? 0 : 2
}
