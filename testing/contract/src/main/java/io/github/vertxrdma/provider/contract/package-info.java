/**
 * The provider contract as tests. A provider's test class implements
 * {@link io.github.vertxrdma.provider.contract.ProviderContract} and gives its device; everything else is
 * inherited, the leak check after each test included.
 */
package io.github.vertxrdma.provider.contract;
