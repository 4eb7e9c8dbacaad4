/** Faults that a server could have, as changes of `grant.qnt`, and the invariant that finds each. */
export interface Fault {
  readonly name: string
  /** A piece of the specification, and what stands there instead. */
  readonly from: string
  readonly to: string
  readonly invariant: string
  /** The action to run instead of `step`. */
  readonly step?: string
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'a write does not compare the version',
    from: '(req.seen != version or here == NO_GRANT)',
    to: 'here == NO_GRANT',
    invariant: 'oneChild',
  },
  {
    name: 'a second redemption of the code gets tokens too',
    from: 'else if (g.phase == "live") end(g)',
    to: '',
    invariant: 'oneRedemption',
  },
  {
    name: 'a grant that has ended frees its id',
    from: 'g.phase != "none" and time < keptUntil(g)',
    to: 'g.phase != "none" and g.phase != "gone" and time < keptUntil(g)',
    invariant: 'goneStaysGone',
  },
  {
    name: 'only the last rotation is remembered',
    from: 'known.select(e => clock - e.at < WINDOW)',
    to: '[]',
    invariant: 'lostAnswerEndsNothing',
  },
  {
    name: 'the window never ends',
    from: 'arrivedAt - at < WINDOW',
    to: 'true',
    invariant: 'reuseEnds',
  },
  {
    name: 'a retry is judged by the time of its answer',
    from: 'val made = decide(grant, device, now, req, clockOf(req.replica))',
    to: 'val made = decide(grant, device, now, { ...req, arrivedAt: clockOf(req.replica) }, clockOf(req.replica))',
    invariant: 'windowForgives',
  },
  {
    name: 'a retry gets new tokens',
    from: 'answer: { gen: g.gen, id: g.id } }',
    to: 'answer: { gen: g.gen, id: req.salt } }',
    invariant: 'oneChild',
  },
  {
    name: 'reuse of a token is only refused',
    from: 'else if (state == "spent") end(g)\n    else if (state == "current")',
    to: 'else if (state == "spent") NOTHING\n    else if (state == "current")',
    invariant: 'reuseEnds',
  },
  {
    name: 'a late repeat leaves no mark',
    from: 'val shares = state == "late" or g.previous.ofShared',
    to: 'val shares = false',
    invariant: 'lateOnlyOnce',
    step: 'stepSlowly',
  },
  {
    name: 'a device that polls again gets new tokens',
    from: 'answer: { gen: 0, id: g.redeemed.id } }',
    to: 'answer: { gen: 0, id: req.salt } }',
    invariant: 'oneChild',
  },
  {
    name: 'the last decision about a device counts',
    from: 'if (device == "denied" or isThere(grant, now))',
    to: 'if (isThere(grant, now))',
    invariant: 'deniedGivesNothing',
  },
  {
    name: 'the end of a grant leaves exchanged tokens',
    from: '{ ...NO_GRANT, phase: "gone", ticket: g.ticket }',
    to: '{ ...NO_GRANT, phase: "gone", ticket: g.ticket, access: g.access.filter(a => a.parent != NONE) }',
    invariant: 'exchangedDieWithGrant',
  },
  {
    name: 'an exchanged token lives as long as any other',
    from: 'ends: min(clockOf(r) + ACCESS, a.ends)',
    to: 'ends: clockOf(r) + ACCESS',
    invariant: 'exchangedWithinParent',
  },
  {
    name: 'a revoked token leaves those that were exchanged for it',
    from: 'val left = orphansOut(orphansOut(grant.access.filter(b => b.id != a.id)))',
    to: 'val left = grant.access.filter(b => b.id != a.id)',
    invariant: 'exchangedWithinParent',
  },
  {
    name: 'a rotation moves the end of the grant',
    from: '...g, gen: g.gen + 1, id: req.salt, ends: min(clock + IDLE, g.end)',
    to: '...g, gen: g.gen + 1, id: req.salt, ends: clock + IDLE',
    invariant: 'nothingOutlivesGrant',
  },
  {
    name: 'a token that a failover lost counts as reuse',
    from: 'if (req.token.gen >= g.gen) "unknown"',
    to: 'if (req.token.gen >= g.gen) "spent"',
    invariant: 'unreachedEndsNothing',
    step: 'stepWithFailover',
  },
]
