/**
 * A device in front of another, of which subclasses change parts. The application never gets objects behind, and the device behind never
 * gets objects in front.
 */
package io.github.vertxrdma.provider.devices.forward;
