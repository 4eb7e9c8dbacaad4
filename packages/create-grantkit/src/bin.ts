#!/usr/bin/env node
import { runCommand, showUsage } from 'citty'
import { command } from './command.ts'
import { ChoiceError } from './read-choices.ts'

const rawArgs = process.argv.slice(2)

if (rawArgs.some((arg) => arg === '--help' || arg === '-h')) await showUsage(command)
else await runCommand(command, { rawArgs }).catch(complain)

function complain(error: unknown): void {
  if (!(error instanceof ChoiceError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
