#!/usr/bin/env node
import { type CommandLine, type Examination, readCommandLine, USAGE } from './command-line.ts'
import { diagnose } from './diagnose.ts'
import { report } from './report.ts'
import { sendByFetch, unreachableReason } from './send-by-fetch.ts'

process.exitCode = await run(readCommandLine(process.argv.slice(2)))

async function run(commandLine: CommandLine): Promise<number> {
  if (commandLine.kind === 'examination') return examineDeployment(commandLine)
  if (commandLine.kind === 'refused') return complain(`${commandLine.reason}\n\n${USAGE}`)
  console.log(USAGE)
  return 0
}

async function examineDeployment({ baseUrl, json, register, idToken }: Examination): Promise<number> {
  const silence = await unreachableReason(baseUrl)
  if (silence !== undefined) return complain(`Nothing answers at ${baseUrl}: ${silence}`)
  const findings = await diagnose(baseUrl, sendByFetch, { register, idToken })
  console.log(json ? JSON.stringify(findings, null, 2) : report(baseUrl, findings, register))
  return findings.some(({ verdict }) => verdict === 'failed') ? 1 : 0
}

function complain(text: string): number {
  console.error(text)
  return 2
}
