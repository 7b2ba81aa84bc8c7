package io.github.vertxrdma.provider.contract;

/**
 * Everything a provider promises, topic by topic. Its test class:
 *
 * <pre>{@code
 * class TcpContractTest implements ProviderContract {
 *   @Override
 *   public Device device() {
 *     return Devices.require(new LibfabricProvider(), "tcp");
 *   }
 * }
 * }</pre>
 */
public interface ProviderContract
  extends DeviceContract, RegistrationContract, ConnectionContract, ExchangeContract, MessageContract, QueueContract,
  RemoteMemoryContract, AtomicContract, FailureContract, WaitingContract, ScaleContract {
}
