import { defineCommand } from 'citty'
import type { LoadService } from '../configured-service.ts'

/** Examines the running server from outside. */
export const doctor = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Examines a running server from outside, as its clients see it' },
    args: {
      url: { type: 'positional', required: false, description: 'its base URL; default: the configured one' },
      resource: {
        type: 'string',
        valueHint: 'URL',
        description: 'the API or MCP server that the tokens are for',
      },
      json: { type: 'boolean', description: 'prints the findings as JSON' },
      register: {
        type: 'boolean',
        default: true,
        description: 'registers a throw-away client for some checks',
        negativeDescription: 'leaves out the checks that need it',
      },
      follow: { type: 'boolean', description: 'also reads what the metadata name at other origins' },
      'id-token': { type: 'string', valueHint: 'token', description: 'an ID token to be examined too' },
      client: {
        type: 'string',
        valueHint: 'client',
        description:
          'whether this client could sign in: a known client, such as cursor, or the address of a document',
      },
    },
    run: async ({ args }) => {
      const baseUrl = args.url ?? (await load()).config.baseUrl
      const { runExamination } = await import('@grantkit/doctor')
      process.exitCode = await runExamination({
        baseUrl,
        json: args.json ?? false,
        register: args.register,
        follow: args.follow ?? false,
        idToken: args['id-token'],
        resource: args.resource,
        client: args.client,
      })
    },
  })
