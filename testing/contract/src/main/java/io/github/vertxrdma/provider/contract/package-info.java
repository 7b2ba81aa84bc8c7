/**
 * The provider contract as tests. A provider's test class implements {@link io.github.vertxrdma.provider.contract.ProviderContract}, and
 * inherits everything but the device.
 */
package io.github.vertxrdma.provider.contract;
