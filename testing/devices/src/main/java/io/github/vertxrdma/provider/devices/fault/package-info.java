/**
 * A device whose faults a test decides: delayed, dropped and failed completions, refused registrations and posts, receives that were
 * granted but never posted, peers that fall silent. Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.fault;
