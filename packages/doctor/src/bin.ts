#!/usr/bin/env node
import { terminalText } from '@grantkit/core/feature'
import { safeFetch } from '@grantkit/safe-fetch'
import { type CommandLine, type Examination, readCommandLine, USAGE } from './command-line.ts'
import { diagnose, type Finding } from './diagnose.ts'
import { examineClient } from './examine-client.ts'
import { report } from './report.ts'
import { sendByFetch, unreachableReason } from './send-by-fetch.ts'

process.exitCode = await run(readCommandLine(process.argv.slice(2)))

async function run(commandLine: CommandLine): Promise<number> {
  if (commandLine.kind === 'examination') return examineDeployment(commandLine)
  if (commandLine.kind === 'refused') return complain(commandLine.reason, `\n\n${USAGE}`)
  console.log(USAGE)
  return 0
}

async function examineDeployment({ baseUrl, json, client, ...options }: Examination): Promise<number> {
  if (client !== undefined)
    return print(client, await examineClient(client, safeFetch({ issuer: baseUrl })), json)
  const silence = await unreachableReason(baseUrl)
  if (silence !== undefined) return complain(`Nothing answers at ${baseUrl}: ${silence}`)
  return print(baseUrl, await diagnose(baseUrl, sendByFetch, options), json)
}

function print(subject: string, findings: readonly Finding[], json: boolean): number {
  const lines = json
    ? JSON.stringify(findings, null, 2).split('\n').map(terminalText)
    : report(subject, findings)
  console.log(lines.join('\n'))
  return findings.some(({ verdict }) => verdict === 'failed') ? 1 : 0
}

function complain(reason: string, usage = ''): number {
  console.error(terminalText(reason) + usage)
  return 2
}
