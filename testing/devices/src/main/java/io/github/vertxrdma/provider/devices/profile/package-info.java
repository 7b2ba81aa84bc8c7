/** Real devices with fewer capabilities, to run programs as on a fabric that is not available. Needs no JUnit. */
package io.github.vertxrdma.provider.devices.profile;
