import torch
from dynamics import Dynamics, rollout_loss
from schedules import ControlSensitivity, HorizonCurriculum
from simulator import Flights
from torch._dynamo import compiled_autograd

STEPS, BATCH, LONGEST = 16, 12, 4


def fit():
    torch.manual_seed(28)
    flights = Flights(40, LONGEST, seed=28)
    model = Dynamics()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    curriculum = HorizonCurriculum(last=LONGEST)
    sensitivity = ControlSensitivity(every=6)
    for step in range(STEPS):
        states, thrusts = flights.draw(BATCH)
        thrusts = sensitivity.prepare(step, thrusts)
        loss = rollout_loss(model, states, thrusts, curriculum.horizon)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        sensitivity.collect(step, thrusts)
        curriculum.report(loss.item())
        if step % 5 == 4:
            print(f"step {step}: horizon {curriculum.horizon} loss {loss.item():.2e}")
    print(f"sensitivities at steps {[step for step, _ in sensitivity.seen]}")


if __name__ == "__main__":
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        fit()
