/**
 * A device in front of a device: everything is passed on, and subclasses change what they are about. Handles of the device behind never
 * reach the application, nor the other way round.
 */
package io.github.vertxrdma.provider.devices.forward;
