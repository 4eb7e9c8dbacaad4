import { createServer } from 'node:http'
import { expect, it, vi } from 'vitest'
import { spareDescriptors } from './listening.ts'

it.each([
  [{ userLimits: { open_files: { soft: 1024, hard: 4096 } } }, 768],
  [{ userLimits: { open_files: { soft: 'unlimited', hard: 'unlimited' } } }, undefined],
  [{}, undefined],
])('connections leave descriptors for files and stores: of %j, %s', (report, connections) => {
  vi.spyOn(process.report, 'getReport').mockReturnValueOnce(report)
  const server = createServer()
  spareDescriptors(server)
  expect(server.maxConnections).toBe(connections)
})
