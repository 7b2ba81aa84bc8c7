package io.github.vertxrdma.provider;

import java.util.List;

/**
 * What a provider found.
 *
 * @param devices usable devices, in no order
 * @param unavailable what it looked for and could not use, each with the reason and the remedy
 * @param withoutNativeCode whether the devices do without native code because this process may not call it
 */
public record Discovery(List<Device> devices, List<Unavailable> unavailable, boolean withoutNativeCode) {
  public Discovery {
    devices = List.copyOf(devices);
    unavailable = List.copyOf(unavailable);
  }

  public Discovery(List<Device> devices, List<Unavailable> unavailable) {
    this(devices, unavailable, false);
  }

  /**
   * Something that is not here.
   *
   * @param what the fabric, device or library
   * @param reason why it cannot be used, in words
   * @param remedy what to do about it, with the command where there is one
   */
  public record Unavailable(String what, String reason, String remedy) {
    @Override
    public String toString() {
      return what + ": " + reason + (remedy.isEmpty() ? "" : " — " + remedy);
    }
  }
}
