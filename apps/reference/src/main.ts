import { styleText } from 'node:util'
import { wellKnownAddress } from '@grantkit/core/adapter'
import type { Service } from '@grantkit/server'
import { type ConfiguredService, runProgram, start } from '@grantkit/server/commands'
import type { SchoolConfig } from './config.ts'
import { FRAMEWORKS } from './frameworks/frameworks.ts'
import { loadService } from './load-service.ts'

/** Starts the service. */

const listen = ({ framework }: SchoolConfig) => FRAMEWORKS[framework]
await runProgram('pnpm start', start(loadService, { listen, banner }))

function banner(
  { config: { baseUrl, framework, playground } }: ConfiguredService<SchoolConfig>,
  { demo }: Service,
): string {
  return `
  ${styleText('bold', 'Harbour School')}, a service of Grantkit, on ${framework}

  Address    ${styleText('cyan', baseUrl)}
  Metadata   ${wellKnownAddress('oauth-authorization-server', baseUrl)}
${playground ? `  Try it     ${baseUrl}/playground\n` : ''}${demo ? '  Account    demo@example.com, password demo\n' : ''}
  Try next   npx -y pnpm@12 demo${baseUrl === 'http://127.0.0.1:3000' ? '' : ` --url ${baseUrl}`}
`
}
