package io.github.vertxrdma.provider.contract;

/**
 * Tests everything that a provider promises, by topic. Example of a provider's test class:
 *
 * <pre>{@code
 * class NioContractTest implements ProviderContract {
 *   @Override
 *   public Device device() {
 *     return Devices.require(new NioProvider(), "nio");
 *   }
 * }
 * }</pre>
 */
public interface ProviderContract
  extends DeviceContract, RegistrationContract, ConnectionContract, MessageContract, QueueContract,
  RemoteMemoryContract, FailureContract, WaitingContract, ScaleContract {
}
