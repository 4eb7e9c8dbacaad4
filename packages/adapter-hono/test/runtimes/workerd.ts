import { type Environment, serviceOf } from './service.ts'

// The store lives as long as the isolate, so the service is made once.
let service: ReturnType<typeof serviceOf> | undefined

export default {
  fetch(request: Request, environment: Environment): Response | Promise<Response> {
    service ??= serviceOf(environment)
    return service(request)
  },
}
