/**
 * A device in front of another device. It passes everything on, and subclasses change parts. The application never gets objects of the
 * device behind, and that device never gets objects in front.
 */
package io.github.vertxrdma.provider.devices.forward;
