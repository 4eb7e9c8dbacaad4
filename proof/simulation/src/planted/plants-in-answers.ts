import type { HttpRequest, HttpResponse } from '@grantkit/core'
import type { Plant } from '../service/replica.ts'
import { contextOf } from './request-context.ts'

export function loserSkipsPkce(): Plant {
  const answers = new Map<string, HttpResponse>()
  return {
    handle: (handle) => async (request) => {
      const response = await handle(request)
      const { doing, credential } = contextOf(request)
      if (doing !== 'redeem') return response
      if (response.status === 200) answers.set(credential, response)
      return answers.get(credential) ?? response
    },
  }
}

/** Each replica keeps its good answers about a token for five minutes. */
export function answersAreCached(tokenOf: (request: HttpRequest) => unknown): Plant {
  const answers = new Map<string, { readonly until: number; readonly response: HttpResponse }>()
  return {
    handle:
      (handle, { replica, now }) =>
      async (request) => {
        const token = tokenOf(request)
        if (token === undefined) return handle(request)
        const key = `${replica} ${request.path} ${token}`
        const kept = answers.get(key)
        if (kept !== undefined && now() < kept.until) return kept.response
        const response = await handle(request)
        const isGood = response.status === 200 && !response.body.includes('"active":false')
        if (isGood) answers.set(key, { until: now() + 300, response })
        return response
      },
  }
}

/** The page of a device takes each button for the one that allows. */
export function denialIgnored(): Plant {
  return {
    handle: (handle) => (request) => {
      const isDenial = request.path === '/oauth/device/decision' && contextOf(request).doing === 'deny'
      return handle(
        isDenial ? { ...request, body: request.body.replace('decision=deny', 'decision=allow') } : request,
      )
    },
  }
}
