package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VerbsInUserSpace.class)
class VerbsBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return VerbsInUserSpace.PREFIX + Nic.DEFAULT;
  }

  @Override
  List<String> launcher() {
    return Nic.built().launcher(Nic.DEFAULT);
  }
}
