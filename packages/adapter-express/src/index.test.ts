import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Route } from '@grantkit/core'
import { describeAdapter } from '@grantkit/testkit'
import express, { type RequestHandler } from 'express'
import { authorizationServer } from './index.ts'

const mountBehind =
  (...before: RequestHandler[]) =>
  async (routes: readonly Route[]) => {
    const app = express().use(...before, authorizationServer({ routes }))
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const close = async () => void server.close().closeAllConnections()
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
  }

describeAdapter('express', mountBehind())
describeAdapter(
  'express behind a parser that keeps the bytes',
  mountBehind(express.raw({ type: () => true })),
)
