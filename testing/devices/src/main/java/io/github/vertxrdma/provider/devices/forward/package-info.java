/**
 * Devices that forward to another device. The application never gets objects of the wrapped device, and the wrapped device never gets
 * forwarding objects.
 */
package io.github.vertxrdma.provider.devices.forward;
