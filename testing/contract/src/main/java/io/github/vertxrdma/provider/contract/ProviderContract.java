package io.github.vertxrdma.provider.contract;

/**
 * The tests of everything that a provider promises, by topic. A provider has a test class such as this one:
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
  extends DeviceContract, RegistrationContract, ConnectionContract, ExchangeContract, MessageContract, QueueContract,
  RemoteMemoryContract, AtomicContract, FailureContract, WaitingContract, ScaleContract {
}
