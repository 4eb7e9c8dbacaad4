import { type Accent, DARK_CARD, LIGHT_GROUND } from './accent.ts'

/** The style sheet of all pages. Logical properties alone, so that it mirrors for languages from right to left. */
export function styleOf(accent: Accent): string {
  return `${themes(accent)}${BASE}${CONTROLS}${PARTS}${SCOPES}`
}

function themes({ light, dark }: Accent): string {
  return `:root{color-scheme:light dark;
--ground:${LIGHT_GROUND};--card:#fff;--ink:#171a1f;--quiet:#545b66;--line:#dde1e7;--edge:#747c88;
--accent:${light};--on-accent:#fff;--alert:#9b1c1c;--alert-ground:#fdf0ef;--change:#7a4300;--change-ground:#fdf1df}
@media (prefers-color-scheme:dark){:root{
--ground:#101317;--card:${DARK_CARD};--ink:#eceff3;--quiet:#a6aeb9;--line:#313841;--edge:#87919e;
--accent:${dark};--on-accent:#101317;--alert:#ffb4ab;--alert-ground:#391c1b;--change:#ffcb8a;--change-ground:#382811}}
`
}

const BASE = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:none;text-size-adjust:none}
body{margin:0;min-block-size:100vh;min-block-size:100svh;display:flex;flex-direction:column;align-items:center;
padding:2.5rem 1rem 1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
.brand,main,footer{inline-size:100%;max-inline-size:30rem}
.brand{display:flex;justify-content:center;margin-block-end:1.25rem;font-weight:650}
.brand>*{display:inline-flex;align-items:center;gap:.65rem;min-block-size:2.75rem;color:inherit;text-decoration:none}
.wide>.brand,.wide>main,.wide>footer{max-inline-size:88rem}
.wide{padding-block-start:1rem}
.brand img{inline-size:auto;block-size:2rem;max-inline-size:8rem;object-fit:contain}
main{padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;box-shadow:0 1px 2px #0000000a,0 8px 24px #0000000d}
main>:first-child,.app>:first-child{margin-block-start:0}
main>:last-child{margin-block-end:0}
footer{margin-block-start:auto;padding-block-start:1.5rem;color:var(--quiet);font-size:.875rem}
footer ul{display:flex;flex-wrap:wrap;justify-content:center;gap:0 1.25rem;margin:0;padding:0;list-style:none}
footer a{display:inline-block;padding-block:.75rem;color:inherit}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;text-wrap:balance}
h2{margin:0 0 .25rem;font-size:1.05rem;line-height:1.35;text-wrap:pretty}
p{margin:0 0 1rem;text-wrap:pretty}
a{color:var(--accent);text-underline-offset:.2em}
code{font:.92em/1.5 ui-monospace,monospace}
bdi{display:inline-block;max-inline-size:100%;overflow:clip;vertical-align:bottom}
a bdi{text-decoration:inherit}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
.quiet{color:var(--quiet)}
.quiet strong{color:var(--ink)}
.unseen{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:32rem){h1{margin-block-end:.5rem;font-size:1.25rem}h2{font-size:1rem}body{padding:.25rem 0 0;background:var(--card)}
.brand{margin-block-end:0}
main{padding:.25rem 1.25rem 1.5rem;border:0;border-radius:0;box-shadow:none}
footer{padding:1rem 1.25rem;border-block-start:1px solid var(--line)}}
@media (prefers-reduced-motion:no-preference){button,summary{transition:background-color .12s,border-color .12s}}
`

const CONTROLS = `button,a.primary{min-block-size:2.75rem;padding:.5rem 1rem;background:var(--card);border:1px solid var(--edge);border-radius:.6rem;
color:var(--ink);font:600 .975rem/1.25 system-ui,sans-serif;cursor:pointer}
button:hover{background:var(--ground)}
button.primary,a.primary{inline-size:100%;background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.primary:hover,a.primary:hover{background:color-mix(in srgb,var(--accent) 90%,var(--ink))}
a.primary{display:block;padding-block:.75rem;text-align:center;text-decoration:none}
button.danger{border-color:var(--alert);color:var(--alert)}
label.field{display:block;margin-block-end:.35rem;font-weight:600}
input:not([type=hidden],[type=checkbox],[type=radio]),textarea,select{inline-size:100%;min-block-size:2.75rem;margin-block-end:1rem;padding:.6rem .75rem;
background:var(--card);border:1px solid var(--edge);border-radius:.6rem;color:inherit;font:inherit}
textarea{font:.92rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere;resize:vertical}
input[type=checkbox],input[type=radio]{flex:none;inline-size:1.3rem;block-size:1.3rem;margin:0;accent-color:var(--accent)}
input.code,.code{font:600 1.25rem/1.4 ui-monospace,monospace;letter-spacing:.08em}
input.code{text-transform:uppercase}
summary{min-block-size:2.75rem;padding-block:.6rem;cursor:pointer}
.decision{display:flex;gap:.5rem;margin-block:.75rem}
.decision button{flex:1 1 auto;inline-size:auto;min-inline-size:0;padding-inline:.35rem;white-space:nowrap}
.even .decision button{flex-basis:0;white-space:normal}
@media (max-width:22.5rem){.decision{gap:.4rem;margin-inline:-.5rem}.decision button{font-size:.9rem}}
@media (min-width:60rem){body:has(.decision)>main{max-inline-size:58rem;display:grid;grid-template-columns:1fr 1.15fr;gap:0 2rem}
body:has(.decision) main>:is(h1,[role=alert]){grid-column:1/-1}}
@media (forced-colors:active){button.primary,a.primary{border-width:3px}}
`

const PARTS = `.app{margin-block-end:1.25rem;padding:1rem 1.25rem;background:var(--ground);border:1px solid var(--line);border-radius:.75rem}
.app h2,.app-name{margin:0 0 .15rem;font-size:1.25rem;font-weight:650;line-height:1.3}
.app p{margin-block-end:.75rem}
.app textarea{display:block;margin-block-end:0}
q{quotes:none;font-style:italic}
q bdi{display:inline}
dl{display:grid;gap:.75rem;margin:0}
dt{color:var(--quiet);font-size:.875rem}
dd{margin:0}
.host{font-size:1.25rem;font-weight:650;line-height:1.3}
.asker,form:has(>.decision)>p{margin-block-end:.5rem;font-size:.9rem;line-height:1.4}
.asker>*{margin-block-end:.75rem}
.asker .problem{padding:.5rem .75rem}
section.app{padding-block:.6rem}
section.app>p{margin-block-end:.35rem}
section.app dl{gap:.2rem}
section.app :is(.app-name,.host){font-size:1.1rem}
section.app :is(dt,dd){display:inline;margin-inline-end:.35rem}
section.app>details{margin-block-end:-.6rem}
section.app>details[open]{margin-block-end:0}
dd a,time{white-space:nowrap}
article summary .small{display:block}
section.app summary,.small{color:var(--quiet);font-size:.875rem}
.notice,.problem{padding:.75rem 1rem;border-radius:.6rem;border:1px solid var(--line)}
.notice{background:var(--ground)}
.problem{background:var(--alert-ground);border-color:transparent;color:var(--alert)}
.who{margin-block-end:1rem}
article.app{padding-block-end:.75rem}
article .host{font-size:1.05rem}
.times{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin-block:.75rem .35rem;font-size:.925rem}
.changes{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:0 1rem;margin-block-start:.25rem;padding-block-start:.5rem;border-block-start:1px solid var(--line)}
.changes details[open]{flex-basis:100%}
.changes details form{display:flex;gap:.5rem;margin-block-end:.75rem}
.changes details form input{flex:1;min-inline-size:0;margin:0}
.changes button{flex:none}
.installation{margin-inline:-.25rem;padding-inline:.25rem;border-block-start:1px solid var(--line)}
.installation .small{display:block}
.installation .changes{margin-block-end:.75rem}
.app>.all{padding-block:.75rem .25rem;border-block-start:1px solid var(--line)}
.app>.all button{inline-size:100%}
.app .mark{background:var(--card)}
.app textarea+.copy{margin-block-start:.75rem}
main>h2.part{margin-block:2rem .5rem;font-size:1.25rem}
input+p.small{margin-block-start:-.6rem}
.plain{margin:0 0 .5rem;padding-inline-start:1.25rem}
.plain li{margin-block-end:.25rem}
.pages{display:flex;gap:1.5rem}
.pages a{display:inline-block;padding-block:.6rem}
.developer{margin-block-start:1.5rem;padding:.25rem 1.25rem;border:1px solid var(--line);border-radius:.75rem;font-size:.925rem}
.developer dl{grid-template-columns:max-content 1fr;gap:.25rem 1rem}
.developer dl{margin-block-end:.75rem}
.developer p:last-child{margin-block-end:.75rem}
`

const SCOPES = `fieldset{margin:0 0 .5rem;padding:0;border:0}
legend{padding:0;margin-block-end:.15rem;color:var(--quiet);font-size:.875rem;font-weight:600}
legend.field{margin-block-end:.35rem;color:var(--ink);font-size:1rem}
.scope{display:flex;gap:.75rem;align-items:center;min-block-size:2.5rem;padding-block:.4rem}
.scope>span{flex:1}
.marks{display:flex;flex-wrap:wrap;gap:.35rem}
.scope .marks{display:inline;margin-inline-start:.25rem}
fieldset .scope+.scope{border-block-start:1px solid var(--line)}
.mark{flex:none;padding:.1rem .5rem;border:1px solid transparent;border-radius:1rem;background:var(--ground);color:var(--quiet);font-size:.8125rem;font-weight:600;white-space:nowrap}
.mark.change{background:var(--change-ground);color:var(--change)}
.areas{margin-block-end:1rem;border:1px solid var(--line);border-radius:.75rem}
.area+.area{border-block-start:1px solid var(--line)}
.area summary{display:grid;grid-template-columns:1fr auto;gap:.1rem .75rem;align-items:center;padding:.7rem 1rem;list-style:none}
.area summary::-webkit-details-marker{display:none}
.area summary b{font-weight:650}
.area summary b::after{content:"";display:inline-block;inline-size:.4em;block-size:.4em;margin-inline-start:.5em;margin-block-end:.2em;border:solid currentColor;border-width:0 2px 2px 0;rotate:45deg}
.area[open] summary b::after{margin-block-end:0;rotate:225deg}
.area summary .says{grid-column:1/-1;color:var(--quiet);font-size:.925rem;line-height:1.4}
.area summary .marks{justify-content:flex-end}
.area .scope{padding-inline:1rem;border-block-start:1px solid var(--line)}
@media (max-width:32rem){.app{padding:.85rem 1rem}section.app{padding-block:.5rem}.area summary{padding-inline:.85rem}}
`
