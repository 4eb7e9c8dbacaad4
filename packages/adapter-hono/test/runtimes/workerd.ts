import { type Environment, serviceOf } from './service.ts'

// The store lives as long as the isolate, so the service is made once.
let service: ReturnType<typeof serviceOf> | undefined

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    service ??= serviceOf(environment)
    return (await service)(request)
  },
}
