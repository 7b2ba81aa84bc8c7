/** Base classes of devices that wrap another device. The application sees only wrappers, the wrapped device only its own objects. */
package io.github.vertxrdma.provider.devices.forward;
