/** Real devices with capabilities taken away, to run programs as on a fabric that is not available. Needs no JUnit. */
package io.github.vertxrdma.provider.devices.profile;
