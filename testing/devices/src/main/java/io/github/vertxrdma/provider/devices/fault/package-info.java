/**
 * A device whose faults a test sets: delayed, dropped and failed completions, refused registrations and posts, receives that were granted
 * but never posted, and silent peers. Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.fault;
