package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;

/** A process that opens and closes endpoints under ever new names, since what a process has had is remembered until its end. */
final class GoneNamesChild {
  static final int NAMES = 1024;
  /** Names after each of which it says so. */
  static final int STEP = 64;

  private GoneNamesChild() {
  }

  /** Argument: fabric. Says how the endpoint after so many ended, and that earlier names are opened again. */
  public static void main(String[] arguments) {
    try (RdmDomain domain = ((RdmDevice) Devices.require(new LibfabricProvider(), arguments[0])).openRdm()) {
      for (int i = 0; i < NAMES; i++) {
        open(domain, i);
        if (i % STEP == 0) {
          System.out.println("opened: " + i);
        }
      }
      try {
        open(domain, NAMES);
        System.out.println("next: opened");
      } catch (ProviderException e) {
        System.out.println("next: " + e.reason() + ' ' + e.getMessage());
      }
      open(domain, 0);
      open(domain, NAMES - 1);
      System.out.println("again: opened");
    }
  }

  private static void open(RdmDomain domain, int number) {
    try (CompletionQueue queue = domain.createCompletionQueue(64);
         RdmEndpoint endpoint = domain.createEndpoint(queue, EndpointAddress.of("chosen" + ProcessHandle.current().pid() + '-' + number))) {
      endpoint.localAddress();
    }
  }
}
