declare const connect: (url: string) => Promise<{ url: string; close(): Promise<void> }>
declare const crashAndStart: () => Promise<void>
declare const createMyApp: (routes: readonly import('@grantkit/core/adapter').Route[]) => {
  listen(at: { host: string; port: number }): Promise<string>
  close(): Promise<void>
}
