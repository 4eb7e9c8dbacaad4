#!/usr/bin/env node
import { safeFetch } from '@grantkit/safe-fetch'
import { type CommandLine, type Examination, readCommandLine, USAGE } from './command-line.ts'
import { diagnose, type Finding } from './diagnose.ts'
import { examineClient } from './examine-client.ts'
import { report } from './report.ts'
import { sendByFetch, unreachableReason } from './send-by-fetch.ts'

process.exitCode = await run(readCommandLine(process.argv.slice(2)))

async function run(commandLine: CommandLine): Promise<number> {
  if (commandLine.kind === 'examination') return examineDeployment(commandLine)
  if (commandLine.kind === 'refused') return complain(`${commandLine.reason}\n\n${USAGE}`)
  console.log(USAGE)
  return 0
}

async function examineDeployment(examination: Examination): Promise<number> {
  const { baseUrl, json, register, idToken, resource, client } = examination
  if (client !== undefined) {
    const findings = await examineClient(client, safeFetch({ issuer: baseUrl }))
    return print(client, findings, { json, register: false })
  }
  const silence = await unreachableReason(baseUrl)
  if (silence !== undefined) return complain(`Nothing answers at ${baseUrl}: ${silence}`)
  const findings = await diagnose(baseUrl, sendByFetch, { register, idToken, resource })
  return print(baseUrl, findings, { json, register })
}

function print(
  subject: string,
  findings: readonly Finding[],
  { json, register }: Pick<Examination, 'json' | 'register'>,
): number {
  console.log(json ? JSON.stringify(findings, null, 2) : report(subject, findings, register))
  return findings.some(({ verdict }) => verdict === 'failed') ? 1 : 0
}

function complain(text: string): number {
  console.error(text)
  return 2
}
