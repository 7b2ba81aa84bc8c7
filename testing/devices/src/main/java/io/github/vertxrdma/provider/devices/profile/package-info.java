/**
 * Profiles: real devices with something taken away, so that programs can be run as on a fabric that is not at hand. Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.profile;
