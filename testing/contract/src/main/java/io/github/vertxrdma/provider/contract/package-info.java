/**
 * Tests of the provider SPI's contract. A provider's test class implements {@link io.github.vertxrdma.provider.contract.ProviderContract}
 * and names its device.
 */
package io.github.vertxrdma.provider.contract;
