/** Rewrites the times of a page in the time zone of the browser. Without this script they are in UTC, and say so. */

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

for (const time of document.querySelectorAll('time[datetime]')) {
  const format = 'exact' in time.dataset ? exact : moment
  time.textContent = format.format(new Date(time.dateTime))
}
/** The labels and the tips of charts. */
for (const text of document.querySelectorAll('[data-clock]'))
  text.textContent = clock.format(new Date(text.dataset.clock))
for (const tip of document.querySelectorAll('[data-from]'))
  tip.textContent = `${moment.format(new Date(tip.dataset.from))}: ${tip.dataset.says}`

const { timeZone } = moment.resolvedOptions()
for (const note of document.querySelectorAll('[data-time-zone]'))
  note.textContent = `Times are in the time zone of this browser, ${timeZone}.`
