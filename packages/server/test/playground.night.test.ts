/// <reference lib="dom" />
import { mkdir } from 'node:fs/promises'
import { openChromium } from '@grantkit/test-servers/chromium'
import { expectOnEveryScreen } from '@grantkit/test-servers/screens'
import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { ServiceDefinition } from '../src/definition.ts'
import { type RunningServer, runServer } from './running-server.ts'

const scopes = {
  openid: { description: 'Know who you are' },
  'notes:read': { description: 'Read your notes', access: 'read' as const },
  'notes:write': { description: 'Change your notes', access: 'write' as const },
}
