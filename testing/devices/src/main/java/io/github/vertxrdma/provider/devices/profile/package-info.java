/**
 * Profiles: real devices with capabilities taken away, so that programs can be run as on a fabric that is not available. Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.profile;
